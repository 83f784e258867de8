"""What people read: explanations, charts, pages, the report."""
