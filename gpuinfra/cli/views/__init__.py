"""What commands show: tables, texts, differences in money, and the layout of all of them."""
