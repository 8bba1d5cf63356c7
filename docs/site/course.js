// A page that is read from a disk may not fetch its neighbours, so found pages are listed without an excerpt there.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
