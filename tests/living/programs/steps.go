// A program that goes through a good part of Go's runtime: goroutines, stacks
// that grow, panics, maps, reflection.
// SPDX-License-Identifier: LGPL-2.1-or-later

package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"sort"
	"strings"
)

type node struct {
	Name string
	Kids []*node
	V    map[string]float64
}

func build(n int) *node {
	x := &node{Name: strings.Repeat("x", n), V: map[string]float64{"a": float64(n) / 3}}
	for i := 0; i < n; i++ {
		x.Kids = append(x.Kids, build(n-1))
	}
	return x
}

func guarded(i int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered %v", r)
		}
	}()
	var a []int
	return fmt.Errorf("%d", a[i])
}

func deep(n int) int {
	var pad [200]int
	if n == 0 {
		return pad[0]
	}
	pad[n%200] = deep(n - 1)
	return pad[n%200] + n
}

func main() {
	c := make(chan int)
	for i := 0; i < 5; i++ {
		go func(i int) { c <- deep(100 + i) }(i)
	}
	s := 0
	for i := 0; i < 5; i++ {
		s += <-c
	}
	b, _ := json.Marshal(build(5))
	var n node
	json.Unmarshal(b, &n)
	l := strings.Fields("the quick brown fox jumps over the lazy dog")
	sort.Strings(l)
	f := big.NewInt(1)
	for i := int64(1); i < 60; i++ {
		f.Mul(f, big.NewInt(i))
	}
	re := regexp.MustCompile(`(a+)(b|c)*d`)
	fmt.Fprintln(os.Stdout, s, len(b), l, f, guarded(3), re.FindString("xxaabcbcd"), len(n.Kids))
}
