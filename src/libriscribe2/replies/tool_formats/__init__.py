"""What all notations of tool calls share, and one scan for all of them."""
