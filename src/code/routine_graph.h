/* The graph of a function: instructions, and the states where paths meet.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Instructions are decoded once, when a path first gets to them, and kept as
   nodes.  A node where paths can meet has a label, which owns the state in
   front of it; states in between are made anew from the label before them.  */

#ifndef CODE_ROUTINE_GRAPH_H
#define CODE_ROUTINE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/address_map.h"
#include "code/state.h"
#include "code/routine_context.h"

static const uint32_t NODE_NONE = UINT32_MAX;

struct routine_node
{
  uint64_t address;
  uint32_t label;       /* or NODE_NONE */
  uint32_t predecessor; /* node that goes on here, or NODE_NONE */
  bool is_last;         /* the routine ends behind it, if it gets there */
  bool goes_back;       /* a way from here to the caller was seen ... */
  bool goes_straight;   /* ... which nothing else joins */
  struct insn insn;     /* size 0: no instruction */
};

struct routine_label
{
  size_t state; /* where it is in the routine's states */
  uint32_t node;
  bool queued;
};

/* Where a node leads that does not tell it by itself.  */
struct routine_edge
{
  uint32_t from, to;
};

struct routine
{
  const struct routine_context *context;
  const struct code_machine *machine;
  bool is_go, is_bare;
  uint64_t entry, end;
  struct address_map numbers; /* of nodes */
  struct routine_node *nodes;
  size_t n_nodes, nodes_capacity;
  struct routine_label *labels;
  size_t n_labels, labels_capacity;
  /* Of the labels, one behind the other: joining only takes slots out, so that
     each has as much room as it took first, a third of the most.  */
  char *states;
  size_t states_size, states_capacity;
  size_t nodes_max, labels_max;
  uint32_t *queue; /* labels to be walked from; a stack */
  size_t n_queue, queue_capacity;
  struct routine_edge *edges;
  size_t n_edges, edges_capacity;
  uint32_t noting;  /* jumps from this node are edges, unless NODE_NONE */
  uint32_t changed; /* mask of registers */
  struct address_map
      doubtful; /* calls that do not come back for all we know */
  struct jump_tables tables;
  uint64_t *ends; /* addresses that an earlier try has found; ascending */
  size_t n_ends, ends_capacity;
  bool landed;        /* exceptions get to it */
  bool is_proven;     /* returns */
  bool leaves;        /* the same by a jump that may be a tail call */
  bool is_odd;        /* uses registers that it got no values in */
  bool met_unknown;   /* called a function that nobody has followed */
  uint32_t visited;   /* node that routine_visit is at */
  uint32_t *left_for; /* functions that it gets to with another frame than
                         that of a call */
  size_t n_left_for, left_for_capacity;
  uint64_t steps;
  uint64_t steps_left; /* for all functions together */
  enum routine_failure failure;
  uint64_t failed_at;
};

/* The state of label NUMBER.  It moves when there are more.  */
static inline struct state *
routine_label_state (const struct routine *routine, uint32_t number)
{
  return (struct state *)(void *)(routine->states
                                  + routine->labels[number].state);
}

/* The routine says nothing, because of FAILURE at ADDRESS, if it was sound up
   to now.  */
void routine_fail (struct routine *routine, enum routine_failure failure,
                   uint64_t address);

/* The node at ADDRESS, or NODE_NONE.  */
uint32_t routine_node_at (struct routine *routine, uint64_t address);

/* The node behind NUMBER: mostly the one that was decoded after it.  Where
   there is none, the latter makes one.  */
uint32_t routine_find_behind (const struct routine *routine, uint32_t number);
uint32_t routine_node_behind (struct routine *routine, uint32_t number);

/* Node NUMBER, which has no label, gets one with STATE.  */
void routine_add_label (struct routine *routine, uint32_t number,
                        const struct state *state);

/* STATE arrives at node NUMBER, where paths can meet.  */
void routine_arrive (struct routine *routine, uint32_t number,
                     const struct state *state);

/* Whether another function starts at ADDRESS.  */
bool routine_is_start (const struct routine *routine, uint64_t address);

#endif /* CODE_ROUTINE_GRAPH_H */
