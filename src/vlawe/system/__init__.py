"""What has nothing to do with texts: files, tensors, threads, compiling, progress, extras."""
