// Rust program of the matrix: threads, panics, its own .sframe header.
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// dl_iterate_phdr is called through its C prototype: no crates.

use std::os::raw::{c_int, c_void};

#[repr(C)]
struct Header {
    kind: u32,
    flags: u32,
    offset: u64,
    vaddr: u64,
    paddr: u64,
    filesz: u64,
    memsz: u64,
    align: u64,
}

#[repr(C)]
struct Info {
    base: u64,
    name: *const u8,
    headers: *const Header,
    count: u16,
}

extern "C" {
    fn dl_iterate_phdr(
        callback: extern "C" fn(*const Info, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

extern "C" fn visit(info: *const Info, _size: usize, data: *mut c_void) -> c_int {
    let found = unsafe { &mut *(data as *mut usize) };
    let info = unsafe { &*info };
    for i in 0..info.count as usize {
        let header = unsafe { &*info.headers.add(i) };
        if header.kind == 0x6474e554 {
            let at = (info.base + header.vaddr) as *const u8;
            let magic = unsafe { (*at as u16) | ((*at.add(1) as u16) << 8) };
            println!("sframe size {}", header.memsz);
            if magic == 0xdee2 {
                *found += 1;
            }
        }
    }
    1
}

fn bottom(depth: u32) -> u32 {
    if depth == 0 {
        panic!("bottom");
    }
    let text = format!("{}", depth);
    bottom(depth - 1) + text.len() as u32
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let threads: Vec<_> = (0..8)
        .map(|i| std::thread::spawn(move || std::panic::catch_unwind(|| bottom(i)).is_err()))
        .collect();
    let mut good = threads.into_iter().all(|t| t.join().unwrap_or(false));
    let mut found: usize = 0;
    unsafe { dl_iterate_phdr(visit, &mut found as *mut usize as *mut c_void) };
    let expected = std::env::args().nth(1).map_or(false, |a| a == "sframe");
    good = good && found == expected as usize;
    println!("program {}", if good { "good" } else { "BAD" });
    std::process::exit(!good as i32);
}
