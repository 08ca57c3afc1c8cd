"""The health monitor: probes what the daemon depends on."""
