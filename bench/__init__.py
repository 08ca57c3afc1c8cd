"""Speed, as ratios: each figure stands beside what the machine itself needs for the same work.

`python -m bench` prints one table. How to read it: machines are noisy, and so is a figure in
milliseconds; a ratio taken in one run, both sides by turns, says something on any machine. `goal`
is what we hold ourselves to on a quiet machine. Nothing here fails, and no test asserts on it.

`log` the event log; `cold` commands and the daemon's start; `search` questions through the socket;
`table` the printing. The store and the embedded model are asked for by name:
`python -m bench.store`, `python -m bench.embedding`. `python -m bench.quality` measures no time but
how good answers are, and so
does `python -m bench.sets`, on sets made for one thing each.
"""
