/* A program that has functions of its own under the names of ours and of the libraries we load (fakes.c, made by
 * test_clash.py): loads a plugin that uses headwise, with RTLD_GLOBAL or RTLD_LOCAL, and calls its plugin_main. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const int scope = strcmp(arguments[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
  void* plugin = dlopen(arguments[1], RTLD_NOW | scope);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*plugin_main)(const char*) = NULL;
  void* found = dlsym(plugin, "plugin_main");
  memcpy(&plugin_main, &found, sizeof(found)); /* C has no conversion from one to the other */
  return plugin_main == NULL ? 1 : plugin_main(arguments[3]);
}
