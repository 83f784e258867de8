"""What starts programs and keeps what they did."""
