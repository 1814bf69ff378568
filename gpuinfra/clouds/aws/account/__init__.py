"""What the user's own account allows of a stack: asked of AWS, and nothing is changed there."""
