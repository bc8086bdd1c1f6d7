/*
 * Replays conformance cases through the C interface. The file named by the first argument is a list of words; each
 * case is a command, its arguments, the status that must come back and the results. A word is a number, the bits of
 * a float (x and eight hex digits) or a byte string (hex digits between colons).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "citadel.h"

static FILE *input;
static char *word;
static size_t word_size;
static long cases, checks;

static void fail(const char *what)
{
    fprintf(stderr, "case %ld: %s (last word \"%s\")\n", cases, what, word ? word : "");
    exit(1);
}

static void check(int ok, const char *what)
{
    checks++;
    if (!ok)
        fail(what);
}

/* Reads the next word into a buffer that grows, and returns whether there was one. */
static int next(void)
{
    size_t n = 0;
    int c = getc(input);
    while (c == ' ' || c == '\n')
        c = getc(input);
    for (; c != EOF && c != ' ' && c != '\n'; c = getc(input)) {
        if (n + 1 >= word_size) {
            word_size = word_size ? 2 * word_size : 64;
            word = realloc(word, word_size);
            if (!word)
                abort();
        }
        word[n++] = (char)c;
    }
    if (n == 0)
        return 0;
    word[n] = 0;
    return 1;
}

static const char *need(void)
{
    if (!next())
        fail("the file ends early");
    return word;
}

static uint64_t unsigned_number(void)
{
    char *end;
    uint64_t v = strtoull(need(), &end, 10);
    if (*end)
        fail("not an unsigned number");
    return v;
}

static int64_t signed_number(void)
{
    char *end;
    int64_t v = strtoll(need(), &end, 10);
    if (*end)
        fail("not a number");
    return v;
}

static uint32_t float_bits(void)
{
    char *end;
    const char *w = need();
    if (w[0] != 'x' || strlen(w) != 9)
        fail("not the bits of a float");
    uint32_t bits = (uint32_t)strtoul(w + 1, &end, 16);
    if (*end)
        fail("not the bits of a float");
    return bits;
}

static float number(void)
{
    uint32_t bits = float_bits();
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void numbers(float *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = number();
}

static void check_float(float v, const char *what)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    check(bits == float_bits(), what);
}

/* Reads a byte string into memory of exactly its size, so that a read beyond it is found. */
static uint8_t *byte_string(size_t *len)
{
    const char *w = need();
    size_t n = strlen(w);
    if (n < 2 || w[0] != ':' || w[n - 1] != ':' || n % 2)
        fail("not a byte string");
    *len = (n - 2) / 2;
    uint8_t *b = *len ? malloc(*len) : NULL;
    for (size_t i = 0; i < *len; i++) {
        unsigned v;
        if (sscanf(w + 1 + 2 * i, "%2x", &v) != 1)
            fail("not a byte string");
        b[i] = (uint8_t)v;
    }
    return b;
}

static void expect(citadel_status got)
{
    int64_t want = signed_number();
    if (got != want) {
        fprintf(stderr, "case %ld: status %d, not %" PRId64 "\n", cases, got, want);
        exit(1);
    }
    checks++;
}

static void scalar(void)
{
    float min = number(), max = number();
    uint32_t per_unit = (uint32_t)unsigned_number();
    float value = number();
    uint64_t code = 12345;
    citadel_status s = citadel_quantize_scalar(min, max, per_unit, value, &code);
    expect(s);
    if (s != CITADEL_OK)
        check(code == 12345, "a refused number has a code");
    else
        check(code == unsigned_number(), "wrong code");
}

static void scalar_code(void)
{
    float min = number(), max = number();
    uint32_t per_unit = (uint32_t)unsigned_number();
    uint64_t code = unsigned_number();
    float value = 12345;
    citadel_status s = citadel_dequantize_scalar(min, max, per_unit, code, &value);
    expect(s);
    if (s != CITADEL_OK)
        check(value == 12345, "a refused code has a number");
    else
        check_float(value, "wrong number");
}

static void quat(void)
{
    uint32_t bits = (uint32_t)unsigned_number();
    float q[4];
    numbers(q, 4);
    uint8_t index = 99;
    uint32_t codes[3] = {99, 99, 99};
    citadel_status s = citadel_quat_encode_components(q, bits, &index, codes);
    expect(s);
    if (s != CITADEL_OK) {
        check(index == 99 && codes[0] == 99 && codes[1] == 99 && codes[2] == 99, "a refused quaternion has codes");
        return;
    }
    check(index == unsigned_number(), "wrong index");
    for (int i = 0; i < 3; i++)
        check(codes[i] == unsigned_number(), "wrong component");
}

static void quat_code(void)
{
    uint32_t bits = (uint32_t)unsigned_number();
    uint8_t index = (uint8_t)unsigned_number();
    uint32_t codes[3];
    for (int i = 0; i < 3; i++)
        codes[i] = (uint32_t)unsigned_number();
    float q[4] = {99, 99, 99, 99};
    citadel_status s = citadel_quat_decode_components(index, codes, bits, q);
    expect(s);
    for (int i = 0; i < 4; i++) {
        if (s != CITADEL_OK)
            check(q[i] == 99, "refused codes have a quaternion");
        else
            check_float(q[i], "wrong component");
    }
}

static void schema_hash(void)
{
    uint32_t version = (uint32_t)unsigned_number();
    size_t n = (size_t)unsigned_number(), len;
    citadel_field *fields = n ? calloc(n, sizeof *fields) : NULL;
    for (size_t i = 0; i < n; i++) {
        fields[i].field_id = (uint16_t)unsigned_number();
        fields[i].type_tag = (uint16_t)unsigned_number();
        fields[i].codec_id = (uint16_t)unsigned_number();
        fields[i].cond = (uint8_t)unsigned_number();
        fields[i].authority = (uint8_t)unsigned_number();
        fields[i].bounds_shape = unsigned_number();
    }
    uint8_t hash[16] = {0}, zero[16] = {0};
    citadel_status s = citadel_schema_hash(version, fields, n, hash);
    free(fields);
    expect(s);
    if (s != CITADEL_OK) {
        check(!memcmp(hash, zero, 16), "a refused layout has an identity");
        return;
    }
    uint8_t *want = byte_string(&len);
    check(len == 16 && !memcmp(hash, want, 16), "wrong identity");
    free(want);
}

static citadel_rep_encoder encoder;

static void encoder_new(void)
{
    uint32_t object = (uint32_t)unsigned_number();
    uint8_t full = (uint8_t)unsigned_number();
    uint64_t result = unsigned_number(), base = unsigned_number();
    uint32_t fields = (uint32_t)unsigned_number();
    encoder = 0;
    expect(citadel_rep_encoder_new(object, full, result, base, fields, &encoder));
}

static void encoder_schema(void)
{
    size_t len;
    uint8_t *hash = byte_string(&len);
    check(len == 16, "a hash has sixteen bytes");
    uint32_t version = (uint32_t)unsigned_number();
    expect(citadel_rep_encoder_set_schema(encoder, hash, version));
    free(hash);
}

static void add_bool(void)
{
    uint32_t field = (uint32_t)unsigned_number();
    expect(citadel_rep_encoder_add_bool(encoder, field, (uint8_t)unsigned_number()));
}

static void add_int(void)
{
    uint32_t field = (uint32_t)unsigned_number();
    int64_t min = signed_number(), max = signed_number();
    expect(citadel_rep_encoder_add_int(encoder, field, min, max, signed_number()));
}

static void add_scalar(void)
{
    uint32_t field = (uint32_t)unsigned_number();
    float min = number(), max = number();
    uint32_t per_unit = (uint32_t)unsigned_number();
    expect(citadel_rep_encoder_add_scalar(encoder, field, min, max, per_unit, number()));
}

static void add_vector3(void)
{
    uint32_t field = (uint32_t)unsigned_number();
    float min[3], max[3], value[3];
    numbers(min, 3);
    numbers(max, 3);
    uint32_t per_unit = (uint32_t)unsigned_number();
    numbers(value, 3);
    expect(citadel_rep_encoder_add_vector3(encoder, field, min, max, per_unit, value));
}

static void add_quat(void)
{
    uint32_t field = (uint32_t)unsigned_number(), bits = (uint32_t)unsigned_number();
    float q[4];
    numbers(q, 4);
    expect(citadel_rep_encoder_add_quat(encoder, field, bits, q));
}

static void add_bytes(void)
{
    uint32_t field = (uint32_t)unsigned_number(), max_len = (uint32_t)unsigned_number();
    size_t len;
    uint8_t *b = byte_string(&len);
    expect(citadel_rep_encoder_add_bytes(encoder, field, max_len, b, len));
    free(b);
}

static citadel_element_id element_id(void)
{
    citadel_element_id id;
    id.index = (uint32_t)unsigned_number();
    id.generation = (uint32_t)unsigned_number();
    return id;
}

static citadel_element *elements(int32_t kind, size_t n)
{
    citadel_element *list = n ? calloc(n, sizeof *list) : NULL;
    for (size_t i = 0; i < n; i++) {
        citadel_element *e = &list[i];
        e->id = element_id();
        e->key = unsigned_number();
        switch (kind) {
        case CITADEL_BOOL:
        case CITADEL_INT:
            e->integer = signed_number();
            break;
        case CITADEL_SCALAR:
            numbers(e->numbers, 1);
            break;
        case CITADEL_VECTOR3:
            numbers(e->numbers, 3);
            break;
        case CITADEL_QUAT:
            numbers(e->numbers, 4);
            break;
        case CITADEL_BYTES:
            e->bytes = byte_string(&e->bytes_len);
            break;
        }
    }
    return list;
}

static void free_elements(citadel_element *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free((void *)list[i].bytes);
    free(list);
}

static void add_collection(void)
{
    citadel_item_codec codec;
    memset(&codec, 0, sizeof codec);
    uint32_t field = (uint32_t)unsigned_number(), max_items = (uint32_t)unsigned_number();
    codec.kind = (int32_t)unsigned_number();
    switch (codec.kind) {
    case CITADEL_INT:
        codec.int_min = signed_number();
        codec.int_max = signed_number();
        break;
    case CITADEL_SCALAR:
        codec.min[0] = number();
        codec.max[0] = number();
        codec.values_per_unit = (uint32_t)unsigned_number();
        break;
    case CITADEL_VECTOR3:
        numbers(codec.min, 3);
        numbers(codec.max, 3);
        codec.values_per_unit = (uint32_t)unsigned_number();
        break;
    case CITADEL_QUAT:
        codec.bits_per_component = (uint32_t)unsigned_number();
        break;
    case CITADEL_BYTES:
        codec.max_len = (uint32_t)unsigned_number();
        break;
    }
    size_t removed_count = (size_t)unsigned_number();
    size_t added_count = (size_t)unsigned_number();
    size_t changed_count = (size_t)unsigned_number();
    citadel_element_id *removed = removed_count ? calloc(removed_count, sizeof *removed) : NULL;
    for (size_t i = 0; i < removed_count; i++)
        removed[i] = element_id();
    citadel_element *added = elements(codec.kind, added_count);
    citadel_element *changed = elements(codec.kind, changed_count);
    citadel_status s = citadel_rep_encoder_add_collection(encoder, field, &codec, max_items, removed, removed_count, added,
                                                          added_count, changed, changed_count);
    free(removed);
    free_elements(added, added_count);
    free_elements(changed, changed_count);
    expect(s);
}

/* Asks for the length first, then gives one byte too few, then memory of exactly the size. */
static void finish(void)
{
    size_t len = 99, want_len;
    citadel_status s = citadel_rep_encoder_finish(encoder, NULL, 0, &len);
    int64_t want = signed_number();
    if (want == CITADEL_OK) {
        uint8_t *packet = byte_string(&want_len);
        check(s == CITADEL_ERR_BUFFER, "no memory is needed");
        check(len == want_len, "wrong length");
        uint8_t *out = calloc(1, len);
        check(citadel_rep_encoder_finish(encoder, out, len - 1, &len) == CITADEL_ERR_BUFFER, "a short buffer will do");
        check(len == want_len, "wrong length for a short buffer");
        for (size_t i = 0; i < len; i++)
            check(out[i] == 0, "a short buffer was written");
        check(citadel_rep_encoder_finish(encoder, out, len, &len) == CITADEL_OK, "an exact buffer is refused");
        check(len == want_len && !memcmp(out, packet, len), "wrong packet");
        free(out);
        free(packet);
    } else {
        uint8_t out[64] = {0}, zero[64] = {0};
        check(s == want, "a bunch that must be refused");
        check(len == 0, "a refused bunch has a length");
        len = 99;
        check(citadel_rep_encoder_finish(encoder, out, sizeof out, &len) == want, "a bunch that must be refused, asked again");
        check(len == 0 && !memcmp(out, zero, sizeof out), "a refused bunch has bytes");
    }
    check(citadel_rep_encoder_free(encoder) == CITADEL_OK, "cannot be freed");
}

/* What a program does wrong is refused and harms nobody. */
static void misuse(void)
{
    float q[4] = {0, 0, 0, 1};
    uint32_t codes[3] = {0, 0, 0};
    uint8_t index, byte = 1, hash[16] = {0};
    size_t len = 99;
    citadel_field field = {0};
    citadel_item_codec codec = {0};
    citadel_element_id id = {1, 1};
    citadel_rep_encoder e;

    check(citadel_quantize_scalar(0, 1, 1, 0, NULL) == CITADEL_ERR_ARGUMENT, "NULL code");
    check(citadel_dequantize_scalar(0, 1, 1, 0, NULL) == CITADEL_ERR_ARGUMENT, "NULL value");
    check(citadel_quat_encode_components(NULL, 10, &index, codes) == CITADEL_ERR_ARGUMENT, "NULL quaternion");
    check(citadel_quat_encode_components(q, 10, NULL, codes) == CITADEL_ERR_ARGUMENT, "NULL index");
    check(citadel_quat_encode_components(q, 10, &index, NULL) == CITADEL_ERR_ARGUMENT, "NULL codes");
    check(citadel_quat_encode_components(q, 266, &index, codes) == CITADEL_ERR_SPEC, "266 bits are not 10");
    check(citadel_quat_decode_components(0, NULL, 10, q) == CITADEL_ERR_ARGUMENT, "NULL codes to decode");
    check(citadel_quat_decode_components(0, codes, 10, NULL) == CITADEL_ERR_ARGUMENT, "NULL output");
    check(citadel_quat_decode_components(4, codes, 10, q) == CITADEL_ERR_CODE, "index 4");
    check(citadel_schema_hash(1, NULL, 1, hash) == CITADEL_ERR_ARGUMENT, "NULL fields");
    check(citadel_schema_hash(1, &field, 1, NULL) == CITADEL_ERR_ARGUMENT, "NULL hash");
    check(citadel_schema_hash(1, &field, SIZE_MAX, hash) == CITADEL_ERR_FIELDS, "too many fields to be true");

    check(citadel_rep_encoder_new(1, 0, 2, 1, 1, NULL) == CITADEL_ERR_ARGUMENT, "NULL encoder");
    check(citadel_rep_encoder_new(1, 0, 2, 1, 65537, &e) == CITADEL_ERR_FIELDS, "too many fields");
    check(citadel_rep_encoder_free(0) == CITADEL_ERR_ARGUMENT, "encoder zero");
    check(citadel_rep_encoder_add_bool(77777, 0, 1) == CITADEL_ERR_ARGUMENT, "an encoder nobody made");
    check(citadel_rep_encoder_finish(77777, NULL, 0, &len) == CITADEL_ERR_ARGUMENT && len == 0, "finish without encoder");

    check(citadel_rep_encoder_new(1, 0, 2, 1, 1, &e) == CITADEL_OK, "new");
    check(citadel_rep_encoder_finish(e, &byte, 1, NULL) == CITADEL_ERR_ARGUMENT, "NULL length");
    check(citadel_rep_encoder_add_bytes(e, 0, 8, NULL, 3) == CITADEL_ERR_ARGUMENT, "NULL bytes");
    check(citadel_rep_encoder_finish(e, NULL, 0, &len) == CITADEL_ERR_FAILED && len == 0, "finish after a failure");
    check(citadel_rep_encoder_free(e) == CITADEL_OK, "free");
    check(citadel_rep_encoder_free(e) == CITADEL_ERR_ARGUMENT, "free twice");
    check(citadel_rep_encoder_add_bool(e, 0, 1) == CITADEL_ERR_ARGUMENT, "use after free");

    check(citadel_rep_encoder_new(1, 0, 2, 1, 1, &e) == CITADEL_OK, "new");
    check(citadel_rep_encoder_add_collection(e, 0, NULL, 4, &id, 1, NULL, 0, NULL, 0) == CITADEL_ERR_ARGUMENT, "NULL codec");
    check(citadel_rep_encoder_free(e) == CITADEL_OK, "free");
    check(citadel_rep_encoder_new(1, 0, 2, 1, 1, &e) == CITADEL_OK, "new");
    check(citadel_rep_encoder_add_collection(e, 0, &codec, 4, NULL, 1, NULL, 0, NULL, 0) == CITADEL_ERR_ARGUMENT, "NULL ids");
    check(citadel_rep_encoder_free(e) == CITADEL_OK, "free");
    check(citadel_rep_encoder_new(1, 0, 2, 1, 1, &e) == CITADEL_OK, "new");
    check(citadel_rep_encoder_add_collection(e, 0, &codec, 4, &id, SIZE_MAX, NULL, 0, NULL, 0) == CITADEL_ERR_VALUE,
          "a list too long to be true");
    check(citadel_rep_encoder_free(e) == CITADEL_OK, "free");
    check(citadel_rep_encoder_new(1, 0, 2, 1, 1, &e) == CITADEL_OK, "new");
    codec.kind = 6;
    check(citadel_rep_encoder_add_collection(e, 0, &codec, 4, &id, 1, NULL, 0, NULL, 0) == CITADEL_ERR_ARGUMENT,
          "an unknown kind of items");
    check(citadel_rep_encoder_free(e) == CITADEL_OK, "free");
}

static const struct {
    const char *name;
    void (*run)(void);
} commands[] = {
    {"scalar", scalar},
    {"scalar_code", scalar_code},
    {"quat", quat},
    {"quat_code", quat_code},
    {"schema_hash", schema_hash},
    {"new", encoder_new},
    {"set_schema", encoder_schema},
    {"add_bool", add_bool},
    {"add_int", add_int},
    {"add_scalar", add_scalar},
    {"add_vector3", add_vector3},
    {"add_quat", add_quat},
    {"add_bytes", add_bytes},
    {"add_collection", add_collection},
    {"finish", finish},
};

int main(int argc, char **argv)
{
    if (argc != 2 || !(input = fopen(argv[1], "r"))) {
        fprintf(stderr, "usage: check FILE\n");
        return 2;
    }
    misuse();
    while (next()) {
        size_t i = 0, n = sizeof commands / sizeof commands[0];
        cases++;
        while (i < n && strcmp(word, commands[i].name))
            i++;
        if (i == n)
            fail("unknown command");
        commands[i].run();
    }
    fclose(input);
    free(word);
    printf("%ld commands, %ld checks\n", cases, checks);
    return 0;
}
