"""Fitted models as a notebook shows them: a small table of facts."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from vlawe.pages.tables import table_html


class ShortForm:
    """A part of estimators: a table of a few facts once fitted, scikit-learn's drawing before."""

    @abstractmethod
    def facts(self) -> Iterable[tuple[str, Any]]:
        """Yield names and values of what a fitted model is."""

    def _repr_html_(self) -> str:
        try:
            check_is_fitted(self)
        except NotFittedError:
            drawn: str = super()._repr_html_()  # type: ignore[misc]
            return drawn
        title = type(self).__name__
        return table_html((title, ""), self.facts(), left=(title, ""))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
