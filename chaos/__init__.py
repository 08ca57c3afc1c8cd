"""Real processes, real faults: the log and the daemon are killed again and again, then checked.

`python -m chaos` runs it all and prints its seed. `harness` a folder and the processes in it;
`facts` what is said; `appender` a process that only appends; `spoil` damage made by hand; `checks`
the verdicts; `appends`, `points`, `daemons`, `full_disk` and `indexing` the kinds of cycles. `mix`
runs rounds of random operations and compares the daemon with its vault without a restart. What it
found is in TRACK_RECORD.md.
"""
