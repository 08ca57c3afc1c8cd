"""The process that splits notes into chunks: answers requests until its input ends.

It confines itself first: it opens no file for writing, no connection and no other program. It gets
the bytes of notes, never a place where they are.
"""

import os
import sys

from ragd.notes.parse import parse_note
from ragd.runtime.worker_pipes import exit_with_daemon, own_pipes, send
from ragd.vault.foreign_readers.confinement import confine
from ragd.vault.parse_worker import ParseRequest, encode_reply, read_request
from ragd.vault.token_count import shipped_word_pieces

NICENESS = 5  # a person's own programs go first, and questions before notes


def main() -> int:
    requests, replies = own_pipes()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    count_tokens = shipped_word_pieces().count
    confine()
    exit_with_daemon(requests)

    def answer(request: ParseRequest) -> bytes:
        where = request.collection
        return encode_reply(
            [
                parse_note(note.path, note.data, request.options, count_tokens, collection=where)
                for note in request.notes
            ]
        )

    while (request := read_request(requests)) is not None:
        send(replies, answer(request))
    return 0


if __name__ == "__main__":
    sys.exit(main())
