"""Which collections a request may be answered from, decided once, before anything is looked up."""
