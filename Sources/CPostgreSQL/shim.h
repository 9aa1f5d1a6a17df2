// libpq, the client library of PostgreSQL. The functions below replace macros that Swift cannot use.
#include <postgresql/libpq-fe.h>

// Returns the SQLSTATE of a result: five characters, or NULL if the server sent none.
static inline const char *otm_pg_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

// Returns the severity of a notice in English, whatever the language of the server: "WARNING", "NOTICE" and others.
static inline const char *otm_pg_severity(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
}

// Returns the function of the server that reported an error or a notice, or NULL.
static inline const char *otm_pg_source_function(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
}

// Returns the primary message of an error or a notice, or NULL.
static inline const char *otm_pg_message(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}
