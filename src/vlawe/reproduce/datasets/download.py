"""Fetching an archive: resumable, verified by checksum, in place only when it is whole."""

import http.client
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vlawe.reproduce.datasets.catalog import DataError, DatasetInfo
from vlawe.reproduce.datasets.loading import data_folder
from vlawe.reproduce.datasets.verification import file_sha256, verify
from vlawe.system.progress import ProgressBar, progress_bar
from vlawe.version import __version__

_ATTEMPTS = 5
"""How often one address is asked, as long as each time brings the file further."""
_TIMEOUT = 30.0
"""Seconds without an answer before an address is given up."""
_BLOCK = 1 << 16
_SCHEMES = ("https", "http")


class _AddressError(Exception):
    """One address did not give the file; the message says why."""


class _NoConnectionError(_AddressError):
    """Its server could not be reached at all."""


def download(
    info: DatasetInfo,
    folder: str | os.PathLike[str] | None = None,
    *,
    addresses: Sequence[str] | None = None,
    progress: bool | None = None,
) -> Path:
    """Fetch the archive of a data set from the first address that has it; return where it is.

    What arrives is kept in ``<archive>.part`` beside the target, so that a later call goes on
    where an interrupted one ended. The file gets its name only when its checksum is that of the
    catalog; a file of that name is never replaced. If no address gave the file, or another file
    has its name, that is a `DataError`.
    """
    target = data_folder(folder) / info.archive
    if target.exists():
        if (problem := verify(info, folder).problem) is not None:
            raise DataError(f"{problem}; a file that is there is not replaced")
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    failures: dict[str, None] = {}
    with progress_bar(f"Downloading {info.name}", info.size, unit="bytes", show=progress) as bar:
        for address in info.addresses if addresses is None else addresses:
            try:
                _fetch(address, info, part, bar)
            except _NoConnectionError as error:
                host = urllib.parse.urlsplit(address).hostname
                failures[f"no connection to {host}: {error}"] = None
            except _AddressError as error:
                failures[f"{address}: {error}"] = None
            else:
                return part.replace(target)
    raise DataError(
        f"{info.name} could not be downloaded ({'; '.join(failures) or 'no address is known'}); "
        f"if this machine is offline, get {info.archive} ({info.size:,} bytes, SHA-256 "
        f"{info.sha256}) on another and put it into {target.parent}"
    )


def _fetch(address: str, info: DatasetInfo, part: Path, bar: ProgressBar) -> None:
    """Complete the partial file from one address; it has the right checksum afterwards."""
    for attempt in range(_ATTEMPTS):
        already = _size(part)
        if already > info.size:
            part.unlink()
            already = 0
        if already < info.size:
            try:
                _receive(address, info, part, bar)
            except _AddressError:
                if _size(part) <= already or attempt == _ATTEMPTS - 1:
                    raise
                continue
        if (found := file_sha256(part)) == info.sha256:
            return
        part.unlink()
        if not already:  # all of it came from here
            raise _AddressError(f"another file (SHA-256 {found}), not kept")
    raise _AddressError("another file at each attempt, not kept")


def _receive(address: str, info: DatasetInfo, part: Path, bar: ProgressBar) -> None:
    """Append to the partial file what it lacks, or write it anew if the server sends it whole."""
    with _ask(address, _size(part)) as response:
        start = _start(response, info, _size(part))
        with part.open("ab") as file:
            file.truncate(start)
            received = start
            for block in _blocks(response):
                received += len(block)
                if received > info.size:
                    file.truncate(start)  # none of this is of the file
                    raise _AddressError(f"more than the expected {info.size:,} bytes")
                file.write(block)
                bar.update(received)
            file.flush()
            os.fsync(file.fileno())
    if received < info.size:
        raise _AddressError(f"ended after {received:,} of {info.size:,} bytes")


def _ask(address: str, already: int) -> Any:
    """Return the response to a request for the file, from byte ``already`` on."""
    if urllib.parse.urlsplit(address).scheme not in _SCHEMES:
        raise _AddressError("not an http or https address")
    request = urllib.request.Request(address, headers={"User-Agent": f"vlawe/{__version__}"})
    if already:
        request.add_header("Range", f"bytes={already}-")
    try:
        return urllib.request.build_opener(_CarefulRedirects).open(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        raise _AddressError(f"the server answered {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise _NoConnectionError(_reason(error.reason)) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _NoConnectionError(_reason(error)) from error


def _start(response: Any, info: DatasetInfo, already: int) -> int:
    """Return at which byte of the file a response begins, checking what it says of the size."""
    if response.status == http.HTTPStatus.PARTIAL_CONTENT:
        said = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
        if said is None or int(said[1]) != already:
            raise _AddressError("the server sent another part of the file than asked for")
        start, total = already, int(said[2])
    else:  # it does not know ranges, and sends all
        said = re.fullmatch(r"(\d+)", response.headers.get("Content-Length", ""))
        start, total = 0, info.size if said is None else int(said[1])
    if total != info.size:
        raise _AddressError(f"a file of {total:,} bytes, expected {info.size:,}")
    return start


def _blocks(response: Any) -> Iterator[bytes]:
    try:
        while block := response.read(_BLOCK):
            yield block
    except (OSError, http.client.HTTPException) as error:
        raise _AddressError(f"the connection broke ({_reason(error)})") from error


class _CarefulRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirections, but never from https to anything else."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        scheme = urllib.parse.urlsplit(newurl).scheme
        if scheme not in _SCHEMES or (req.type == "https" and scheme != "https"):
            fp.close()
            raise _AddressError(f"a redirection to {newurl}, not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _reason(error: object) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
