/* Prints every snapshot of the feed: its sequence number, its number of posts, and the newest post. It implements
 * level 0 of proto/README.md, checks the list's hash, and parses protobuf itself. It requires only libzmq.
 *
 *     cc -O2 -Wall -o subscriber_level0 subscriber_level0.c -lzmq
 *     ./subscriber_level0 [ENDPOINT]    default: tcp://127.0.0.1:7710
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { LIST_MAX = 100, ID_BYTES = 10, EPOCH_BYTES = 16, FRAME_BYTES_MAX = 327680, SILENCE_MS = 15000 };
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

/* A range of a frame's bytes: the unread rest, or a field's value. */
struct span {
  const uint8_t *at, *end;
};

struct field {
  uint64_t number;
  int type;
  uint64_t value;    /* of VARINT, FIXED64 and FIXED32 */
  struct span bytes; /* of BYTES */
};

struct entry {
  struct span id, first_name, last_name, label, link;
  uint64_t seq;
};

struct snapshot {
  uint64_t seq, hash;
  size_t count;
  bool stale;
  struct entry newest;
};

static size_t length(struct span span) { return (size_t)(span.end - span.at); }

static bool read_varint(struct span *from, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (from->at == from->end) return false;
    uint8_t byte = *from->at++;
    *value |= (uint64_t)(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

static bool read_fixed(struct span *from, size_t size, uint64_t *value) {
  if (length(*from) < size) return false;
  *value = 0;
  for (size_t index = size; index > 0; index--) *value = *value << 8 | from->at[index - 1];
  from->at += size;
  return true;
}

/* Reads the next field. Returns false if the bytes are not protobuf. Requires an unread byte. */
static bool read_field(struct span *from, struct field *field) {
  uint64_t key;
  if (!read_varint(from, &key) || key >> 3 == 0) return false;
  field->number = key >> 3;
  field->type = (int)(key & 7);
  switch (field->type) {
  case VARINT: return read_varint(from, &field->value);
  case FIXED64: return read_fixed(from, 8, &field->value);
  case FIXED32: return read_fixed(from, 4, &field->value);
  case BYTES:
    if (!read_varint(from, &field->value) || field->value > length(*from)) return false;
    field->bytes = (struct span){from->at, from->at + field->value};
    from->at += field->value;
    return true;
  default: return false;
  }
}

static bool read_entry(struct span from, struct entry *entry) {
  static const struct span none = {(const uint8_t *)"", (const uint8_t *)""};
  struct field field;
  *entry = (struct entry){none, none, none, none, none, 0};
  while (from.at < from.end) {
    if (!read_field(&from, &field)) return false;
    if (field.number == 2 && field.type == VARINT) entry->seq = field.value;
    if (field.type != BYTES) continue;
    switch (field.number) {
    case 1: entry->id = field.bytes; break;
    case 4: entry->first_name = field.bytes; break;
    case 5: entry->last_name = field.bytes; break;
    case 7: entry->label = field.bytes; break;
    case 9: entry->link = field.bytes; break;
    }
  }
  return length(entry->id) == ID_BYTES;
}

static uint64_t hashed(uint64_t hash, const uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) hash = (hash ^ bytes[index]) * UINT64_C(1099511628211);
  return hash;
}

static bool read_list(struct span from, struct snapshot *snapshot) {
  uint64_t expected = 0;
  struct field field;
  snapshot->hash = UINT64_C(14695981039346656037);
  while (from.at < from.end) {
    struct entry entry;
    if (!read_field(&from, &field)) return false;
    if (field.number == 4 && field.type == FIXED64) expected = field.value;
    if (field.number != 3 || field.type != BYTES) continue;
    if (snapshot->count == LIST_MAX || !read_entry(field.bytes, &entry)) return false;
    if (snapshot->count++ == 0) snapshot->newest = entry;
    uint8_t seq[8];
    for (int index = 0; index < 8; index++) seq[index] = (uint8_t)(entry.seq >> 8 * index);
    snapshot->hash = hashed(hashed(snapshot->hash, entry.id.at, ID_BYTES), seq, sizeof seq);
  }
  return snapshot->hash == expected;
}

/* Reads a frame. Returns false, with an invalid snapshot, if the frame is malformed, of another version, or has a wrong
 * list hash. */
static bool read_frame(struct span from, struct snapshot *snapshot) {
  uint64_t magic = 0, major = 0;
  struct span epoch = {0}, list = {0};
  struct field field;
  memset(snapshot, 0, sizeof *snapshot);
  while (from.at < from.end) {
    if (!read_field(&from, &field)) return false;
    if (field.number == 1 && field.type == FIXED32) magic = field.value;
    if (field.number == 2 && field.type == VARINT) major = field.value;
    if (field.number == 4 && field.type == BYTES) epoch = field.bytes;
    if (field.number == 5 && field.type == VARINT) snapshot->seq = field.value;
    if (field.number == 8 && field.type == VARINT) snapshot->stale = field.value != 0;
    if (field.number == 16 && field.type == BYTES) list = field.bytes;
  }
  if (magic != 0x314D544F || major != 1 || length(epoch) != EPOCH_BYTES || list.at == NULL) return false;
  return read_list(list, snapshot);
}

/* Prints a text that users have typed, with question marks for control characters. */
static void show(struct span text) {
  for (; text.at < text.end; text.at++) {
    bool is_c1 = *text.at == 0xC2 && length(text) > 1 && text.at[1] >= 0x80 && text.at[1] < 0xA0;
    putchar(is_c1 || *text.at < 0x20 || *text.at == 0x7F ? '?' : *text.at);
    if (is_c1) text.at++;
  }
}

static void print(const struct snapshot *snapshot) {
  const struct entry *newest = &snapshot->newest;
  printf("seq %" PRIu64 ": %zu posts, newest: ", snapshot->seq, snapshot->count);
  if (snapshot->count > 0) {
    const struct span texts[] = {newest->first_name, newest->last_name, newest->label, newest->link};
    const char *const after[] = {" ", ", ", ": ", ""};
    for (size_t index = 0; index < 4; index++) {
      show(texts[index]);
      fputs(after[index], stdout);
    }
  } else {
    fputs("none yet", stdout);
  }
  puts(snapshot->stale ? " (delayed: the feed cannot reach ingest)" : "");
  fflush(stdout);
}

static void require(bool succeeded, const char *name) {
  if (succeeded) return;
  fprintf(stderr, "%s: %s\n", name, zmq_strerror(errno));
  exit(1);
}

static void *connect_feed(void *context, const char *endpoint) {
  static const char topic[] = "otm.feed/1/main/s/";
  const int64_t frame_max = FRAME_BYTES_MAX;
  const int silence = SILENCE_MS;
  void *feed = zmq_socket(context, ZMQ_SUB);
  require(feed != NULL, "socket");
  require(zmq_setsockopt(feed, ZMQ_MAXMSGSIZE, &frame_max, sizeof frame_max) == 0, "MAXMSGSIZE");
  require(zmq_setsockopt(feed, ZMQ_RCVTIMEO, &silence, sizeof silence) == 0, "RCVTIMEO");
  require(zmq_setsockopt(feed, ZMQ_SUBSCRIBE, topic, sizeof topic - 1) == 0, "SUBSCRIBE");
  require(zmq_connect(feed, endpoint) == 0, endpoint);
  return feed;
}

int main(int count, char **words) {
  const char *endpoint = count > 1 ? words[1] : "tcp://127.0.0.1:7710";
  void *context = zmq_ctx_new();
  void *feed = connect_feed(context, endpoint);
  zmq_msg_t body;
  zmq_msg_init(&body);
  for (;;) {
    int parts = 0;
    do { /* the topic, then the body */
      if (zmq_msg_recv(&body, feed, 0) < 0) break;
      parts++;
    } while (zmq_msg_more(&body));
    if (parts == 0) { /* a snapshot comes every 5 s */
      require(errno == EAGAIN || errno == EINTR, "recv");
      if (errno == EINTR) continue;
      fputs("no snapshot has come for 15 s: the list may be old\n", stderr);
      zmq_close(feed); /* the connection may be dead without an error */
      feed = connect_feed(context, endpoint);
      continue;
    }
    const uint8_t *bytes = zmq_msg_data(&body);
    struct snapshot snapshot;
    if (parts == 2 && read_frame((struct span){bytes, bytes + zmq_msg_size(&body)}, &snapshot)) {
      print(&snapshot);
    } else {
      fputs("dropped a frame: not a snapshot of version 1, or state hash mismatch\n", stderr);
    }
  }
}
