//! An allocator that counts, to show that a step allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};

/// Counts the allocations of each thread, since the tests run side by side.
struct Counting;

#[allow(unsafe_code)]
// SAFETY: every call goes to the system's allocator unchanged
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        THREAD.with(|t| t.set(t.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

thread_local! {
    static THREAD: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Allocations of this thread so far.
pub fn allocations() -> u64 {
    THREAD.with(std::cell::Cell::get)
}
