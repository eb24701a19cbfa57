/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jget FILE PATH...: values from a JSON document, a line each, for shell
 * tests.  PATH is keys and indices joined by dots ("runs.0.per_op.Close").
 * Objects print their keys, arrays their length; a missing value fails.
 * FILE may be "-".
 */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *find(const json_t *at, char *path)
{
	char *save = NULL;
	char *key = strtok_r(path, ".", &save);

	for (; key && at; key = strtok_r(NULL, ".", &save)) {
		if (json_is_array(at))
			at = json_array_get(at, strtoul(key, NULL, 10));
		else
			at = json_object_get(at, key);
	}
	return at;
}

static void print(const json_t *v)
{
	const char *key;
	json_t *item;

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		json_object_foreach((json_t *)(uintptr_t)v, key, item)
			printf("%s ", key);
		puts("");
		break;
	case JSON_ARRAY:
		printf("%zu\n", json_array_size(v));
		break;
	case JSON_STRING:
		puts(json_string_value(v));
		break;
	case JSON_INTEGER:
		printf("%" JSON_INTEGER_FORMAT "\n", json_integer_value(v));
		break;
	case JSON_REAL:
		printf("%.17g\n", json_real_value(v));
		break;
	case JSON_TRUE:
		puts("true");
		break;
	case JSON_FALSE:
		puts("false");
		break;
	case JSON_NULL:
		puts("null");
		break;
	}
}

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *root;
	int i;

	if (argc < 3) {
		fprintf(stderr, "usage: jget FILE PATH...\n");
		return 2;
	}
	root = strcmp(argv[1], "-") ? json_load_file(argv[1], 0, &error)
				    : json_loadf(stdin, 0, &error);
	if (!root) {
		fprintf(stderr, "jget: %s:%d: %s\n", argv[1], error.line,
			error.text);
		return 1;
	}
	for (i = 2; i < argc; i++) {
		const json_t *v = find(root, argv[i]);

		if (!v) {
			fprintf(stderr, "jget: nothing at argument %d\n",
				i - 1);
			json_decref(root);
			return 1;
		}
		print(v);
	}
	json_decref(root);
	return 0;
}
