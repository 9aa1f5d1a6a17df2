// libcurl, which Foundation's HTTP client needs anyway. Swift cannot call its variadic functions.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode otm_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode otm_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode otm_curl_set_callback(CURL *handle, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode otm_curl_status(CURL *handle, long *status) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

static inline CURLcode otm_curl_certificates(CURL *handle, struct curl_certinfo **certificates) {
  return curl_easy_getinfo(handle, CURLINFO_CERTINFO, certificates);
}
