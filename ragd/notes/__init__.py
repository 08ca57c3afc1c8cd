"""From the bytes of a note to its chunks. Pure: no disk, no clock, no network; never raises."""
