"""What buying guides say, judged by the tables."""
