"""What comes out of a collection: the curator's and the analyst's results, and what each party can guess."""
