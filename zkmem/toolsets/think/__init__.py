"""THINK-MEM: raw texts with summaries of their lines; arrays, deques and stacks of them."""
