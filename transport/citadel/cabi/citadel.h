/*
 * The codecs of the Citadel wire format for programs that are not written in Go.
 *
 * Build the library with
 *
 *     go build -buildmode=c-shared -o libcitadel.so github.com/ariadne-netcode/ariadne/transport/citadel/cabi
 *
 * and compile against this header; the one that the go command writes beside the library is not needed.
 *
 * Every function returns CITADEL_OK or the reason why it did nothing: outputs are written on success only, unless the
 * function says otherwise. Memory passed in is read during the call and never kept; memory passed out belongs to the
 * caller. A pointer to no elements may be NULL. All functions may be called from any thread; calls with the same
 * encoder must not overlap, except that the library refuses an encoder that was freed.
 */
#ifndef CITADEL_H
#define CITADEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t citadel_status;

enum {
    CITADEL_OK = 0,
    CITADEL_ERR_ARGUMENT = 1, /* NULL where memory is needed, or an unknown encoder, field or item kind */
    CITADEL_ERR_SPEC = 2,     /* bounds or bits per component that no codec has */
    CITADEL_ERR_VALUE = 3,    /* NaN, or a list or byte string above its limit, or a repeated element */
    CITADEL_ERR_CODE = 4,     /* a code above the largest valid one */
    CITADEL_ERR_FIELDS = 5,   /* schema fields not in ascending order of their ids, or more than 65536 */
    CITADEL_ERR_TOKEN = 6,    /* zero where a result or base token is needed */
    CITADEL_ERR_FAILED = 7,   /* an earlier call on this encoder failed: there is no packet */
    CITADEL_ERR_BUFFER = 8,   /* the buffer is too small; the length it needs was written */
    CITADEL_ERR_INTERNAL = 9  /* a fault of the library */
};

/* One field of a layout, as it enters the layout's identity. */
typedef struct {
    uint16_t field_id;
    uint16_t type_tag;
    uint16_t codec_id;
    uint8_t cond;
    uint8_t authority;
    uint64_t bounds_shape; /* the folded one */
} citadel_field;

/* An encoder of one DeltaBunch. Zero is none. */
typedef uint64_t citadel_rep_encoder;

/* What the values of a field are, or those of a collection's elements. */
enum {
    CITADEL_BOOL = 0,
    CITADEL_INT = 1,
    CITADEL_SCALAR = 2,
    CITADEL_VECTOR3 = 3,
    CITADEL_QUAT = 4,
    CITADEL_BYTES = 5
};

/* The codec of a collection's elements. Members that the kind has no use for are ignored. */
typedef struct {
    int32_t kind;
    uint32_t values_per_unit;    /* CITADEL_SCALAR, CITADEL_VECTOR3 */
    int64_t int_min, int_max;    /* CITADEL_INT */
    float min[3], max[3];        /* CITADEL_SCALAR uses the first only */
    uint32_t bits_per_component; /* CITADEL_QUAT: 9, 10 or 15 */
    uint32_t max_len;            /* CITADEL_BYTES */
} citadel_item_codec;

/* The name of an element; the generation tells it from others that had its index. */
typedef struct {
    uint32_t index;
    uint32_t generation;
} citadel_element_id;

/* An element of a collection. Of its value the members for the collection's kind are read. */
typedef struct {
    citadel_element_id id;
    uint64_t key;         /* counts the edits of the element */
    int64_t integer;      /* CITADEL_INT; CITADEL_BOOL: zero is false */
    float numbers[4];     /* CITADEL_SCALAR uses one, CITADEL_VECTOR3 three, CITADEL_QUAT four (x, y, z, w) */
    const uint8_t *bytes; /* CITADEL_BYTES */
    size_t bytes_len;
} citadel_element;

#ifndef CITADEL_TYPES_ONLY

/*
 * Numbers of [min, max] with values_per_unit codes to the unit. A number out of bounds, or an infinity, becomes the
 * code of the bound; NaN is CITADEL_ERR_VALUE.
 */
citadel_status citadel_quantize_scalar(float min, float max, uint32_t values_per_unit, float value, uint64_t *out_code);
citadel_status citadel_dequantize_scalar(float min, float max, uint32_t values_per_unit, uint64_t code,
                                         float *out_value);

/*
 * Quaternions x, y, z, w by their smallest three components of 9, 10 or 15 bits. out_index is the component that is
 * not among the codes. What has no direction is encoded as the identity.
 */
citadel_status citadel_quat_encode_components(const float quat[4], uint32_t bits_per_component, uint8_t *out_index,
                                              uint32_t out_codes[3]);
citadel_status citadel_quat_decode_components(uint8_t index, const uint32_t codes[3], uint32_t bits_per_component,
                                              float out_quat[4]);

/* The identity of a layout. Field ids ascend. */
citadel_status citadel_schema_hash(uint32_t layout_version, const citadel_field *fields, size_t count,
                                   uint8_t out_hash[16]);

/*
 * A DeltaBunch is made field by field:
 *
 *     citadel_rep_encoder_new, citadel_rep_encoder_set_schema if it is a full one, citadel_rep_encoder_add_...,
 *     citadel_rep_encoder_finish, citadel_rep_encoder_free.
 *
 * It is all or nothing: after any refused call but one for a NULL output or a small buffer, finish returns
 * CITADEL_ERR_FAILED. A field is given by its place in the layout, which has field_count fields, and may be added once,
 * in any order.
 */

/* For a full bunch base_id is ignored; for a delta it must not be zero. result_id never is. */
citadel_status citadel_rep_encoder_new(uint32_t object_id, uint8_t is_full, uint64_t result_id, uint64_t base_id,
                                       uint32_t field_count, citadel_rep_encoder *out_encoder);

/* The identity that a full bunch carries; finish refuses a full bunch without it. */
citadel_status citadel_rep_encoder_set_schema(citadel_rep_encoder encoder, const uint8_t hash[16],
                                              uint32_t layout_version);

citadel_status citadel_rep_encoder_add_bool(citadel_rep_encoder encoder, uint32_t field, uint8_t value);

/* A value out of [min, max] becomes the bound. */
citadel_status citadel_rep_encoder_add_int(citadel_rep_encoder encoder, uint32_t field, int64_t min, int64_t max,
                                           int64_t value);
citadel_status citadel_rep_encoder_add_scalar(citadel_rep_encoder encoder, uint32_t field, float min, float max,
                                              uint32_t values_per_unit, float value);
citadel_status citadel_rep_encoder_add_vector3(citadel_rep_encoder encoder, uint32_t field, const float min[3],
                                               const float max[3], uint32_t values_per_unit, const float value[3]);
citadel_status citadel_rep_encoder_add_quat(citadel_rep_encoder encoder, uint32_t field, uint32_t bits_per_component,
                                            const float quat[4]);
citadel_status citadel_rep_encoder_add_bytes(citadel_rep_encoder encoder, uint32_t field, uint32_t max_len,
                                             const uint8_t *bytes, size_t len);

/* The changes of a collection of at most max_items elements. Each element occurs once in the three lists. */
citadel_status citadel_rep_encoder_add_collection(citadel_rep_encoder encoder, uint32_t field,
                                                  const citadel_item_codec *codec, uint32_t max_items,
                                                  const citadel_element_id *removed, size_t removed_count,
                                                  const citadel_element *added, size_t added_count,
                                                  const citadel_element *changed, size_t changed_count);

/*
 * Writes the bunch and its length. If out is NULL or capacity too small nothing but the length is written, and
 * CITADEL_ERR_BUFFER returned. The encoder stays as it is: finish may be called again. On any other failure the length is
 * set to zero.
 */
citadel_status citadel_rep_encoder_finish(citadel_rep_encoder encoder, uint8_t *out, size_t capacity, size_t *out_len);

/* Freeing an encoder twice is CITADEL_ERR_ARGUMENT and does no harm. */
citadel_status citadel_rep_encoder_free(citadel_rep_encoder encoder);

#endif /* CITADEL_TYPES_ONLY */

#ifdef __cplusplus
}
#endif

#endif /* CITADEL_H */
