"""The report: what a classifier sees in labelled documents, as one page for people."""

from vlawe.report.document_map import MapMethod
from vlawe.report.facts import ReportOptions, report_facts
from vlawe.report.page import render_report

__all__ = ["MapMethod", "ReportOptions", "render_report", "report_facts"]
