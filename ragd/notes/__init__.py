"""Turns the bytes of a note into chunks. Pure: no disk, no clock, no network; never raises."""
