"""What `init` and `config` ask of the machine: vaults, languages, Ollama."""
