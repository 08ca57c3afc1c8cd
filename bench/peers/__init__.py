"""ragd beside its peers: QMD's keyword search and bare LanceDB, in turns, in one run.

`make bench-peers` installs QMD from npm in `.bench-peers/` and prints ratios with the load of the
machine. `vault` makes the notes and questions, `qmd` runs QMD, `ragd_side` runs ragd, `compare`
asks all of them in turns. The vectors of notes are made up (`python -m bench.embedding` measures
the model); those of questions are made by the model.
"""
