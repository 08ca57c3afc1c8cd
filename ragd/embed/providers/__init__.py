"""What makes vectors: Ollama, or the embedded models."""
