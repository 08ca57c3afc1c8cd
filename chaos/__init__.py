"""Real processes, real faults: the log and the daemon are killed again and again, then checked.

`python -m chaos` runs everything and prints its seed. `harness` is a folder and its processes,
`facts` the made-up facts, `appender` a process that only appends, `spoil` damage made by hand,
`checks` what must hold afterwards. `appends`, `points`, `daemons`, `full_disk` and `indexing` are
the kinds of cycles. `mix` runs rounds of random operations and compares the daemon with its vault
without a restart. TRACK_RECORD.md lists the bugs found.
"""
