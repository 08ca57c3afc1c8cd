"""Speed, as ratios: each figure is compared with what the machine needs for the bare work.

`python -m bench` prints one table. Times in milliseconds depend on the machine; a ratio of two
sides that took turns in one run can be compared between machines. `goal` is the target on a quiet
machine. Nothing here fails, and no test asserts on it.

`log` is the event log, `cold` the start of commands and the daemon, `search` searches through the
socket, `table` the printing. The store and the embedded model have commands of their own:
`python -m bench.store` and `python -m bench.embedding`. `python -m bench.peers` runs ragd beside
QMD and bare LanceDB. `python -m bench.answers` compares the answers of two versions. `python -m
bench.quality` measures how good answers are instead of time, and so does `python -m bench.sets`,
with one set for each feature.
"""
