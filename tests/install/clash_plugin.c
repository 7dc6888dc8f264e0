/* Uses what headwise loads: libzip for an archive with one array, oneDNN in the consumer where the ISA is "reference".
 */
#include <headwise/headwise.h>
#include <stdio.h>

int consumer_main(void);

int plugin_main(const char* archive) {
  headwise_file* file = NULL;
  headwise_tensor* tensor = NULL;
  if (headwise_file_open(archive, NULL, &file) != HEADWISE_OK ||
      headwise_file_read(file, "x", NULL, NULL, &tensor) != HEADWISE_OK) {
    fprintf(stderr, "%s\n", headwise_last_error());
    return 1;
  }
  headwise_tensor_free(tensor);
  headwise_file_free(file);
  return consumer_main();
}
