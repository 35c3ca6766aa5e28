"""A folder's name that a shell, TeX, a URL and a format string each read in their own way."""

ODD = 'it\'s a $mine of "ours", 5 % {gewöhnlich} & #1; (~x\\y'
