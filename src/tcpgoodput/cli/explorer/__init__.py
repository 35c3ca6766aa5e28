"""The explorer: every model and the packet simulator on one page, live or in one file.

The page is one HTML document without dependencies. `page` joins it from the files in the folder
`parts`. `server` sends it to a browser on this machine and answers its requests. `static_page`
writes it into a single file that needs neither server nor network.
"""
