"""What `init` and `config` find out about this machine: vaults, languages, Ollama."""
