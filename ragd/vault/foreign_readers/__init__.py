"""Readers of foreign formats (PDF, docx, epub, images), in a process of their own with limits."""
