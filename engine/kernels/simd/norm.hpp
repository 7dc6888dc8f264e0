static void layer_norm(const NormTask& task) noexcept {
  reference_layer_norm(task);
}
