"""The permissions that deploying a stack needs, as the narrowest policies that AWS allows."""
