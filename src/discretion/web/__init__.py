"""The page to work on: one person's own server on this machine, whose pages ask for the jobs that commands ask for.

A page is a door with a form, whose fields are the options of a job, spelled in the page's address as on the command
line; its answer is the job's document. No mathematics stands here.
"""
