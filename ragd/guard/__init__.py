"""What is sensitive, what reads like an order, what is worth remembering."""
