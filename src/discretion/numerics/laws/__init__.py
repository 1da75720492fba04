"""Laws of counts and of sums, to full double precision at any size."""
