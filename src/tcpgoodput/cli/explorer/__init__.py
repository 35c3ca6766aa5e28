"""The explorer: every model and the packet simulator on one page, live or in one file.

The page is one HTML document without a dependency: `page` puts it together from the parts in the
folder of the same name. `server` gives it to a browser on this machine and answers its requests.
`static_page` writes it into a single file that needs neither server nor network.
"""
