"""A small Google Cloud Storage in memory: the part of its XML API that the libraries use.

    python -m tests.object_store.gcs_server --port N --bucket NAME [--key PUBLIC.pem]

It checks what a real one checks: the signature of each token (without --key it accepts everyone),
the conditions on generations, the ranges. Lists have short pages. `--writes-apart SECONDS` refuses
a second write of the same name within that time, as Google's store does within a second;
`--ignore-conditions` is the store that ragd must refuse.
"""

import argparse
import base64
import hashlib
import itertools
import json
import re
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

PAGE = 100
EMAIL = "ragd@tests.example"


class Stored(NamedTuple):
    """One version of an object."""

    data: bytes
    generation: int
    modified: float

    @property
    def tag(self) -> str:
        return f'"{hashlib.md5(self.data, usedforsecurity=False).hexdigest()}-{self.generation}"'


class Refused(Exception):
    """The answer is an error of the store."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


class Bucket:
    """The objects of the one bucket. All changes are made under its lock."""

    def __init__(self, name: str, writes_apart_s: float, respects_conditions: bool) -> None:
        self.name = name
        self.lock = threading.Lock()
        self.objects: dict[str, Stored] = {}
        self.uploads: dict[str, dict[int, bytes]] = {}
        self._written: dict[str, float] = {}
        self._writes_apart_s = writes_apart_s
        self._respects_conditions = respects_conditions
        self._generations = itertools.count(1_700_000_000_000_000)

    def put(self, name: str, data: bytes, condition: str | None) -> Stored:
        with self.lock:
            found = self.objects.get(name)
            generation = found.generation if found is not None else 0
            if condition not in (None, str(generation)) and self._respects_conditions:
                raise Refused(412, "PreconditionFailed")
            now = time.monotonic()
            if now - self._written.get(name, -self._writes_apart_s) < self._writes_apart_s:
                raise Refused(429, "SlowDown")
            self._written[name] = now
            stored = Stored(data, next(self._generations), time.time())
            self.objects[name] = stored
            return stored

    def get(self, name: str) -> Stored:
        found = self.objects.get(name)
        if found is None:
            raise Refused(404, "NoSuchKey")
        return found

    def delete(self, name: str) -> None:
        with self.lock:
            if self.objects.pop(name, None) is None:
                raise Refused(404, "NoSuchKey")

    def page(self, query: dict[str, str]) -> str:
        """One page of a list, as XML."""
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        after = query.get("continuation-token") or query.get("start-after", "")
        with self.lock:
            names = sorted(name for name in self.objects if name.startswith(prefix))
            entries = dict(_entries(names, prefix, delimiter, after))
            chosen = list(entries)[: min(PAGE, int(query.get("max-keys", PAGE)))]
            parts = []
            for name in chosen:
                if entries[name]:
                    parts.append(
                        f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>"
                    )
                    continue
                one = self.objects[name]
                when = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(one.modified))
                parts.append(
                    f"<Contents><Key>{escape(name)}</Key><Size>{len(one.data)}</Size>"
                    f"<LastModified>{when}</LastModified><ETag>{escape(one.tag)}</ETag></Contents>"
                )
        if len(chosen) < len(entries):
            last = escape(chosen[-1])
            parts.append(f"<NextContinuationToken>{last}</NextContinuationToken>")
        return f"<ListBucketResult><Name>{self.name}</Name>{''.join(parts)}</ListBucketResult>"


def _entries(
    names: list[str], prefix: str, delimiter: str, after: str
) -> Iterator[tuple[str, bool]]:
    """What a list shows, in order, and whether it is a folder."""
    for name in names:
        end = name.find(delimiter, len(prefix)) if delimiter else -1
        shown = name if end < 0 else name[: end + len(delimiter)]
        if shown > after:
            yield shown, end >= 0


class TokenCheck:
    """Whether a token was signed with the private key of the service account."""

    def __init__(self, key: Path) -> None:
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        self._key: Any = load_pem_public_key(key.read_bytes())

    def __call__(self, header: str) -> None:
        """Raises Refused."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.hashes import SHA256

        try:
            signed, _, signature = header.removeprefix("Bearer ").rpartition(".")
            claims = json.loads(_decoded(signed.split(".")[1]))
            self._key.verify(_decoded(signature), signed.encode(), PKCS1v15(), SHA256())
            valid = claims["exp"] > time.time()
        except (ValueError, IndexError, KeyError, InvalidSignature):
            raise Refused(401, "AuthenticationRequired") from None
        if not valid:
            raise Refused(401, "AuthenticationRequired")
        if claims["iss"] != EMAIL:
            raise Refused(403, "AccessDenied")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Handler(BaseHTTPRequestHandler):
    """One connection. `bucket` and `check` are set on the class."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer is sent as a whole, without a wait for an acknowledgement
    disable_nagle_algorithm = True
    bucket: Bucket
    check: Any = None

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        query = {name: one[0] for name, one in parse_qs(parts.query, True).items()}
        bucket, _, name = unquote(parts.path).lstrip("/").partition("/")
        try:
            if self.check is not None:
                self.check(self.headers.get("Authorization", ""))
            if bucket != self.bucket.name:
                raise Refused(404, "NoSuchBucket")
            self._answer(*self._do(name, query, body))
        except Refused as why:
            message = f"<Error><Code>{why.code}</Code><Message>Refused.</Message></Error>"
            self._answer(why.status, {}, message.encode())

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

    def _do(
        self, name: str, query: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        if not name:
            return 200, {}, self.bucket.page(query).encode()
        if self.command in ("GET", "HEAD"):
            return self._read(self.bucket.get(name))
        if self.command == "DELETE":
            if "uploadId" not in query:
                self.bucket.delete(name)
            self.bucket.uploads.pop(query.get("uploadId", ""), None)
            return 204, {}, b""
        if "uploads" in query:
            number = f"upload-{len(self.bucket.uploads)}-{time.monotonic_ns()}"
            self.bucket.uploads[number] = {}
            answer = f"<InitiateMultipartUploadResult><UploadId>{number}</UploadId>"
            return 200, {}, f"{answer}</InitiateMultipartUploadResult>".encode()
        if "partNumber" in query:
            self._parts(query)[int(query["partNumber"])] = body
            return 200, {"ETag": f'"part-{query["partNumber"]}"'}, b""
        if "uploadId" in query:
            known = self._parts(query)
            wanted = [int(one) for one in re.findall(rb"<PartNumber>(\d+)</PartNumber>", body)]
            body = b"".join(known[one] for one in wanted)
            del self.bucket.uploads[query["uploadId"]]
        source = self.headers.get("x-goog-copy-source")
        if source:
            body = self.bucket.get(unquote(source).partition("/")[2]).data
        stored = self.bucket.put(name, body, self.headers.get("x-goog-if-generation-match"))
        answer = f"<CompleteMultipartUploadResult><ETag>{escape(stored.tag)}</ETag>"
        return 200, _headers(stored), f"{answer}</CompleteMultipartUploadResult>".encode()

    def _parts(self, query: dict[str, str]) -> dict[int, bytes]:
        found = self.bucket.uploads.get(query["uploadId"])
        if found is None:
            raise Refused(404, "NoSuchUpload")
        return found

    def _read(self, stored: Stored) -> tuple[int, dict[str, str], bytes]:
        wanted = self.headers.get("Range")
        if wanted is None:
            return 200, _headers(stored), stored.data
        size, match = len(stored.data), re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)
        if match is None:
            raise Refused(416, "InvalidRange")
        first, last = match[1], match[2]
        begin = int(first) if first else max(0, size - int(last))
        end = min(size, int(last) + 1) if first and last else size
        if begin >= end:
            raise Refused(416, "InvalidRange")
        found = _headers(stored) | {"Content-Range": f"bytes {begin}-{end - 1}/{size}"}
        return 206, found, stored.data[begin:end]

    def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _headers(stored: Stored) -> dict[str, str]:
    return {
        "ETag": stored.tag,
        "Last-Modified": formatdate(stored.modified, usegmt=True),
        "x-goog-generation": str(stored.generation),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--bucket", required=True)
    parser.add_argument("--key", type=Path)
    parser.add_argument("--writes-apart", type=float, default=0.0)
    parser.add_argument("--ignore-conditions", action="store_true")
    args = parser.parse_args()
    Handler.bucket = Bucket(args.bucket, args.writes_apart, not args.ignore_conditions)
    Handler.check = TokenCheck(args.key) if args.key else None
    server = ThreadingHTTPServer(("127.0.0.1", args.port), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main()
