;; A game of one step: the first seat says "a" and wins. Answers are constants in memory.
(module
  (import "leitai" "log" (func $log (param i32 i32)))
  ;;HEAD
  (memory 1)
  (export "memory" (memory 0))
  (data (i32.const 100) "\00\02\00\00\00{}")
  (data (i32.const 120) "\00\02\00\00\00{}\01\00\00\00\01\01\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 180) "\00\00\01\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\01\01\01\00\00\00\00\00\00\00\00\00\00\04\00\00\00said\04\00\00\00said\04\00\00\00said\01\00\00\00\01\04\00\00\00end\0a")
  (data (i32.const 300) "\00\07\00\00\00{\22n\22:1}")
  (data (i32.const 320) "\00\07\00\00\00{\22n\22:2}")
  (data (i32.const 340) "\00\01\00\00\00\01\00\00\00a")
  (data (i32.const 370) "\00\02\00\00\00s\0a")
  (data (i32.const 400) "\00\02\00\00\00\ff\fe")
  (data (i32.const 420) "\00\ff\ff\00\00{}")
  (data (i32.const 440) "\00\02\00\00\00{{")
  (func $answer (param $from i32) (param $length i32) (result i64)
    (i64.or
      (i64.shl (i64.extend_i32_u (local.get $from)) (i64.const 32))
      (i64.extend_i32_u (local.get $length))))
  (func (export "leitai_game_1_input") (param i32) (result i32) (i32.const 16384))
  (func (export "leitai_game_1_deal") (result i64) (call $answer (i32.const 100) (i32.const 7)))
  (func (export "leitai_game_1_start") (result i64) (call $answer (i32.const 120) (i32.const 37)))
  (func (export "leitai_game_1_step") (result i64)
    ;;STEP
    (call $answer (i32.const 180) (i32.const 76)))
  (func (export "leitai_game_1_legal") (result i64) (call $answer (i32.const 340) (i32.const 10)))
  (func (export "leitai_game_1_check") (result i64) (call $answer (i32.const 360) (i32.const 2)))
  (func (export "leitai_game_1_view") (result i64)
    ;;VIEW
  )
  (func (export "leitai_game_1_text") (result i64) (call $answer (i32.const 370) (i32.const 7))))
