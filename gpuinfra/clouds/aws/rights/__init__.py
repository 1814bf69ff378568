"""The rights that deploying a stack takes, as policies that are as narrow as AWS lets them be."""
