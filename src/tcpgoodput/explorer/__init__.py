"""The explorer: every model beside the packet simulator on one page, live or in one file.

The page is one HTML document without a dependency: `page` puts it together from the parts in the
folder of the same name. `server` gives it to a browser on this machine and answers it, `twin`
writes it into a single file that needs neither.
"""
