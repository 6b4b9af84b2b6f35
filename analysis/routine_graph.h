/* The graph of a function: instructions, and the states where paths meet.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An instruction is decoded once, when the first path gets to it, and kept as
   a node.  A node where paths can meet has a label, which owns the state in
   front of the node.  The states of other nodes are not kept: they are
   computed again from the label in front of them.  */

#ifndef ANALYSIS_ROUTINE_GRAPH_H
#define ANALYSIS_ROUTINE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/addresses.h"
#include "analysis/state.h"
#include "analysis/routine_context.h"

static const uint32_t NODE_NONE = UINT32_MAX;

struct routine_node
{
  uint32_t label; /* or NODE_NONE */
  uint32_t
      predecessor;    /* node from which the path goes on here, or NODE_NONE */
  bool is_last;       /* no instruction of the routine is behind this one */
  bool goes_back;     /* a path from here to a return was seen ... */
  bool goes_straight; /* ... which no other path joins */
  bool is_certain;    /* a path gets here without a table without a bound */
  struct insn insn;   /* size 0: no instruction */
};

struct routine_label
{
  size_t state; /* offset in routine.states */
  uint32_t node;
  bool queued;
};

/* A way from a node to another that the instruction alone does not say: entry
   INDEX of a table.  */
struct routine_edge
{
  uint32_t from, to;
  uint32_t table, index;
};

struct routine
{
  const struct routine_context *context;
  const struct code_machine *machine; /* the ABI: Go has its own */
  bool is_go, is_bare;
  bool lacks_value;  /* it fails for lack of a jump's target or of SP ... */
  bool asks_callees; /* ... and asks which registers callees leave alone */
  uint64_t entry, end;
  struct address_map numbers; /* from addresses to numbers of nodes */
  struct routine_node *nodes;
  size_t n_nodes, nodes_capacity;
  struct routine_label *labels;
  size_t n_labels, labels_capacity;
  /* The states of the labels, one behind the other.  Joining only removes
     slots, so a state never needs more room than it took at first, which is a
     third of sizeof (struct state) on average.  */
  char *states;
  size_t states_size, states_capacity;
  size_t nodes_max, labels_max;
  uint32_t *queue; /* labels whose state has changed; a heap */
  size_t n_queue, queue_capacity;
  struct routine_edge *edges;
  size_t n_edges, edges_capacity;
  uint32_t noting;  /* node whose jumps are stored as edges, or NODE_NONE */
  uint32_t changed; /* mask of registers that the routine writes */
  struct address_map
      doubtful; /* calls of functions that were not seen to return */
  struct address_map spared; /* masks of the registers that callees leave
                                alone, by the callee's address */
  struct jump_tables tables;
  struct address_list ends; /* of jump tables, as an earlier try found them */
  bool landed;              /* it has landing pads of exceptions */
  uint32_t visited;         /* node that routine_visit is at */
  struct routine_result result;
  size_t left_for_capacity;
  struct observation *observations; /* since routine_forget, each once */
  size_t n_observations, observations_capacity;
  struct address_map
      observed; /* masks of the kinds of observations, by address */
  uint64_t steps;
  /* For all functions together; 0: paths may be missing, and what was found
     must not be used.  A new routine has what its image allows.  */
  uint64_t steps_left;
};

/* The state of label NUMBER.  The pointer is valid until a label is added.  */
static inline struct state *
routine_label_state (const struct routine *routine, uint32_t number)
{
  return (struct state *)(void *)(routine->states
                                  + routine->labels[number].state);
}

/* Note that the routine has FAILURE at ADDRESS, so that it gives no rows.  An
   earlier failure is kept.  */
void routine_fail (struct routine *routine, enum routine_failure failure,
                   uint64_t address);

/* Add an observation (routine_context.h).  False: it is there.  */
bool routine_observe (struct routine *routine, enum observation_kind kind,
                      uint64_t address);

/* Whether a call of CALLEE was seen to return, in this routine or another.  */
bool routine_has_returned (const struct routine *routine, uint64_t callee);

/* The node at ADDRESS, or NODE_NONE.  */
uint32_t routine_node_at (struct routine *routine, uint64_t address);

/* The node of the instruction behind node NUMBER, which mostly was decoded
   next.  If there is none, routine_find_behind returns NODE_NONE and
   routine_node_behind makes one.  */
uint32_t routine_find_behind (const struct routine *routine, uint32_t number);
uint32_t routine_node_behind (struct routine *routine, uint32_t number);

/* Give node NUMBER, which has no label, a label with STATE.  */
void routine_add_label (struct routine *routine, uint32_t number,
                        const struct state *state);

/* Join STATE into the state of node NUMBER, where paths can meet.  */
void routine_arrive (struct routine *routine, uint32_t number,
                     const struct state *state);

/* Decode the instruction at ADDRESS, which is no node.  False: there is none.
 */
bool routine_step_at (const struct routine_context *context, uint64_t address,
                      struct insn_step *step);

/* The constant place that INSN has in memory, or 0.  */
uint64_t routine_constant_place (const struct insn *insn);

/* Take the label with the lowest address from the queue, which is not empty.
   Most paths to a place come from below: where these have met, the place is
   walked from once.  */
uint32_t routine_take_queued (struct routine *routine);

/* Whether only a pointer leads to the entry: no function may start there.  */
bool routine_is_on_trial (const struct routine *routine);

/* Whether another function starts at ADDRESS.  */
bool routine_is_start (const struct routine *routine, uint64_t address);

#endif /* ANALYSIS_ROUTINE_GRAPH_H */
