// Go program of the matrix: goroutines, garbage collection, panics.
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// It does not look at its own .sframe: Go has no dl_iterate_phdr.  What it
// finds in its own file is printed instead.
package main

import (
	"debug/elf"
	"fmt"
	"os"
	"runtime"
	"sync"
)

var zero [100000]byte

func recovers(depth int) (value int) {
	defer func() {
		if recover() != nil {
			value = depth
		}
	}()
	if depth > 0 {
		return recovers(depth-1) + 1
	}
	panic("bottom")
}

func sframe() (count int) {
	file, err := elf.Open("/proc/self/exe")
	if err != nil {
		return -1
	}
	defer file.Close()
	for _, program := range file.Progs {
		if program.Type == 0x6474e554 {
			count++
			fmt.Printf("sframe size %d\n", program.Memsz)
		}
	}
	return count
}

func main() {
	good := true
	for _, value := range zero {
		good = good && value == 0
	}
	var group sync.WaitGroup
	var lock sync.Mutex
	sum := 0
	for i := 0; i < 50; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			block := make([]byte, 1<<16)
			block[i] = 1
			lock.Lock()
			sum += recovers(i)
			lock.Unlock()
		}(i)
	}
	group.Wait()
	runtime.GC()
	expected := 0
	if len(os.Args) > 1 && os.Args[1] == "sframe" {
		expected = 1
	}
	good = good && sum == 1225 && sframe() == expected
	if good {
		fmt.Println("program good")
	} else {
		fmt.Println("program BAD", sum)
		os.Exit(1)
	}
}
