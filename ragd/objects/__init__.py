"""Single objects in an object store: addresses, credentials, conditional puts, the writer's lease.

    <prefix>/writer.json              who may write, until when, and the fencing number
    <prefix>/current.json             the generation that serves
    <prefix>/generations/NAME.json    a generation exists if it has this object
    <prefix>/NAME/                    its table
    <prefix>/log/                     a copy of the event log and the memories, if configured

Tables are read and written by lance itself (`ragd/store/lance`).
"""
