"""The event log: an append-only file of everything that the daemon learned and did.

On disk
-------
`<home>/events/` holds segments named by the first seq in them, sixteen digits, `.ndjson`. A
segment is a text file of lines, each closed by LF (0x0A):

    crc32 SP json LF

`crc32` is eight lower-case hex digits: CRC-32 (the one of zlib, gzip and PNG) over the JSON's
bytes, without the space and the newline. A reader computes it, formats it the same way and
compares the nine bytes up to and including the space; it does not parse the digits. A line is at
most 65,536 bytes. JSON strings escape control characters, so LF occurs only at the end of a line.
`cut -c10- *.ndjson | jq` shows everything.

The first line of a segment is its header:

    {"format":1,"min_reader":1,"created_by":"ragd 0.1.0","first":1}

`first` equals the number in the file's name. A reader refuses a segment whose `min_reader` is
above the format it knows. All other lines are records:

    {"seq":123,"d":119,"ts":"2026-11-15T14:30:00.123456Z","run":"01J…","actor":"batcher",
     "cause":118,"event":{"type":"batch_embedded",…}}

- `seq` counts up by one from 1, over all segments, without gaps.
- `d` is the highest seq that was already durable when this record was written.
- `ts` is UTC. `run` names one life of the daemon. `cause` is the seq of the fact that led to this
  one, or null. `event.type` says which fact (ragd/events/); a reader skips types it does not
  know. A fact that lists files may come in parts `{"part":0,"last":false,…}`: its lists are those
  of all parts together, and it counts from the one with `"last":true`.

Durability
----------
Records are written in groups: one write, one fdatasync, then the appends return. A new segment
gets its header under a temporary name, is fsynced, renamed, and its folder is fsynced; before
that, the old segment is durable to its end. What a full disk left half-written is cut off again,
durably. So a bad line in any but the last segment is damage. In the last one, let k be the seq
expected at the first bad line:

- some whole record after it has d >= k: record k had been durable. That is damage. The segment
  is moved to `aside/`, `segment_quarantined` is recorded, and the vault has to be read again.
- none has: nothing from here on was ever acknowledged. That is a torn tail, which a kill or a
  power cut leaves. Its bytes are kept in `aside/`, the file is cut to the
  last whole record, and `tail_cut` is recorded. On a full disk the kept file is empty: these
  bytes were never acknowledged, and the log must open.

Names in `aside/`; all numbers but n have sixteen digits:

    <segment>.<last seq it may have held>.damaged    or .header, if its first line is what is bad
    <segment>.<offset>-<n>.tail                      the n-th that was cut there; ten are kept

A name that also ends in `.pending` is a repair that is not recorded yet. A repair whose record is
in the log is not recorded again. After a quarantine, seqs continue after the highest one that may
have been in the segment, so none is ever used twice. The gap is the range that
`segment_quarantined` names; a start that meets such a gap again does not report it.

A start writes the last group again, at the same place, and syncs it: after a kill it may be only in
the page cache, and after a failed sync the page cache treats it as written although it is not.

While the daemon runs, a reader that finds a durable record damaged or out of order stops there.
Seqs may be missing only between two segments.

Snapshots
---------
`<home>/snapshots/<last seq covered>.json` is one line of the same form (with no limit on its
length) whose JSON is `{"folds":…,"seq":…,"ts":…,"created_by":…,"state":{…}}`. It only shortens a
replay. Segments that the newest two snapshots cover are removed after 30 days, or when all take
more than 128 MiB. Before that, the state that they lead to is folded from them and written as a
snapshot too: the anchor. Its seq is the one before the oldest segment that stays, so the state can
be replayed at every record from there on. A crash leaves the previous anchor or the new one.

The newest two are kept, and the anchor. If damage has prevented an anchor, the oldest usable
snapshot is kept instead: the next anchor is folded from it.

The modules
-----------
`codec`: facts as bytes. `frame`: one line. `segment`: one segment. `disk`: the file system.
`recovery`: opening and repair. `append`: writing. `journal`: the log as actors use it. `follow`:
reading from a seq on. `snapshot`: folded state and retention.
"""
