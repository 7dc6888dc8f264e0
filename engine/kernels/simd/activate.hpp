static void activate(const ActivateTask& task) noexcept {
  reference_activate(task);
}
